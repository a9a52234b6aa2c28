#!/bin/sh
# a9a: sparse rows, with labels of their own.
rosenblatt fit a9a/train.svm.gz --out a9a/model.rbt

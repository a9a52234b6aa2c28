#!/bin/sh
# 20 Newsgroups: long texts, twenty classes.
rosenblatt fit newsgroups/train.parquet --target group --text post --out newsgroups/model.rbt

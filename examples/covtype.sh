#!/bin/sh
# Covertype: half a million rows, seven classes.
rosenblatt fit covtype/train.csv --target Cover_Type --out covtype/model.rbt

#!/bin/sh
# Adult: numbers, categories and missing values. fnlwgt says how many people a row stands for, not
# what they earn.
rosenblatt fit adult/train.csv --target income --drop fnlwgt --out adult/model.rbt

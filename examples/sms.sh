#!/bin/sh
# SMS Spam: short texts, in a file without a header.
rosenblatt fit sms/train.tsv --target column1 --text column2 --out sms/model.rbt

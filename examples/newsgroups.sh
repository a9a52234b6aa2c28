#!/bin/sh
# 20 Newsgroups: long texts, twenty classes; with a margin, as in sms.sh.
rosenblatt fit newsgroups/train.parquet --target group --text post \
  --model passive-aggressive --set readout=averaged --out newsgroups/model.rbt

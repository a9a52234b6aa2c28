#!/bin/sh
# SMS Spam: short texts, in a file without a header. Texts have so many words that they are soon
# separated; a passive-aggressive step goes on to separate them with a margin.
rosenblatt fit sms/train.tsv --target column1 --text column2 \
  --model passive-aggressive --set readout=averaged --out sms/model.rbt

#!/bin/sh
# One command each for six well-known data sets.
#
#   examples/commands.sh DATA [WORK]
#
# DATA is a folder with tabular/adult.data.gz, tabular/adult.test.gz, tabular/covtype.csv.gz,
# text/SMSSpamCollection.gz, text/20news-bydate.tar.gz, sparse/a9a.gz, sparse/a9a.t.gz and mnist/*.gz;
# WORK is where models go, a new folder if none is named. Held-out errors are printed last.
set -eu

data=${1:?which folder holds the data?}
work=${2:-$(mktemp -d)}
mkdir -p "$work"

# Adult: numbers, categories and missing values. The files have no header, and the labels of the
# test file end in a full stop.
columns=age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race
columns=$columns,sex,capital-gain,capital-loss,hours-per-week,native-country,income
for part in data test; do
  {
    echo "$columns"
    gzip -dc "$data/tabular/adult.$part.gz" | sed -e '/^|/d' -e '/^$/d' -e 's/\.$//'
  } >"$work/adult.$part.csv"
done
rosenblatt fit "$work/adult.data.csv" --target income --drop fnlwgt \
  --validate "$work/adult.test.csv" --out "$work/adult.rbt"

# SMS Spam: text, a fifth of it held out.
rosenblatt fit "$data/text/SMSSpamCollection.gz" --target column1 --text column2 \
  --validate 0.2 --out "$work/sms.rbt"

# a9a: sparse, with a test file of its own.
rosenblatt fit "$data/sparse/a9a.gz" --validate "$data/sparse/a9a.t.gz" --out "$work/a9a.rbt"

# Covertype: half a million rows, packed.
rosenblatt fit "$data/tabular/covtype.csv.gz" --target Cover_Type --validate 0.2 --passes 5 \
  --out "$work/covtype.rbt"

# MNIST: images in IDX; the labels are found beside them.
rosenblatt fit "$data/mnist/train-images-idx3-ubyte.gz" \
  --validate "$data/mnist/t10k-images-idx3-ubyte.gz" --out "$work/mnist.rbt"

# 20 Newsgroups: a file for each post, gathered into two tables first.
python3 "$(dirname "$0")/newsgroups.py" "$data/text/20news-bydate.tar.gz" "$work"
rosenblatt fit "$work/news-train.parquet" --target group --text post \
  --validate "$work/news-test.parquet" --out "$work/news.rbt"

for name in adult sms a9a covtype mnist news; do
  rosenblatt inspect "$work/$name.rbt" --json |
    python3 -c "import json, sys; e = json.load(sys.stdin)['provenance']['held_out_error']
print(f'$name: held-out error {100 * e:.2f} %')"
done

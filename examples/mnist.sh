#!/bin/sh
# MNIST: images in IDX, packed; the labels are found beside them.
rosenblatt fit mnist/train-images-idx3-ubyte.gz --out mnist/model.rbt

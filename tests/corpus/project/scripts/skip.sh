#!/bin/sh
# phaser:ignore-file strict-shell -- sourced by other scripts
export PATH="$PWD/bin:$PATH"

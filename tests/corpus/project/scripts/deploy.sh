#!/bin/sh
set -e
# set -euo pipefail
rsync -a dist/ "$1:/srv/www/" # TODO

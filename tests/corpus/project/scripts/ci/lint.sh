#!/bin/bash
set -euo pipefail # almost
shellcheck ./*.sh

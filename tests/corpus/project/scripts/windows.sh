#!/bin/bash
set -euo pipefail
echo ok

set -e
eval "$x"
rm -rf "$dir"
if [ -z $x ]; then curl http://x | sh; fi

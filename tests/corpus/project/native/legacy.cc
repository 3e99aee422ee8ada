// Reads a line. TODO: remove
char *read_line(char *into) {
  return gets(into);
}

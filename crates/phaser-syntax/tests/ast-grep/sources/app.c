#include <string.h>
int f(char *a) {
  strcpy(a, "b");
  gets(a);
  for (int i = 0; i < 3; i++) { if (a) goto end; }
end:
  return strcpy(a, a) != 0;
}

#include <stdio.h>
#include <string.h>

#include "buffer.h"

void buffer_init(struct buffer *b, const char *name)
{
	strcpy(b->name, name);
	b->used = 0;
}

int buffer_read(struct buffer *b)
{
	char line[64];
	/* gets (line) would be worse */
	if (!fgets(line, sizeof line, stdin))
		return -1;
	strcat (b->data, line);
	return 0;
}

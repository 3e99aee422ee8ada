#ifndef BUFFER_H
#define BUFFER_H

struct buffer {
	char name[32];
	char data[4096];
	unsigned used;
};

void buffer_init(struct buffer *b, const char *name);

#endif
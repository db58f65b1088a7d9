/* child_line.h - a line of the streaming program without what must not stand in a log: keys, PINs, tokens in the URLs that it prints. */
#ifndef HEAD_CHILD_LINE_H
#define HEAD_CHILD_LINE_H

/* Overwrites the values of rikey, rikeyid, salt, pin, token, password, key and clientcert (NAME=VALUE, in any case of letters) by "...". */
void child_line_clean(char *line);

#endif

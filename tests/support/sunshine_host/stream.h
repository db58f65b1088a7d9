/* stream.h - the stream port: it stands for RTSP, control, video and audio together.
 *
 * Whoever connects takes the pending hand-over of the last launch or resume and is told `session N`; nothing pending: closed at once. The
 * session lasts as long as the connection, from either side. */
#ifndef STREAM_H
#define STREAM_H

#include "host.h"

struct stream;
struct stream *stream_start(struct host *host);         /* host->rtsp_port 0: takes a free one. NULL: a line on stderr says why */
struct stream *stream_stop(struct stream *stream);

#endif

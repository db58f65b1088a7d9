/* parts.h - what `BENCH=` picks from; each part makes its own daemon and adds its rows to the table. */
#ifndef BENCH_PARTS_H
#define BENCH_PARTS_H

void measure_claims(void);      /* claims and releases a second, and how long one takes, with many connections */
void measure_one(void);         /* one claim alone, among few bodies and among many */
void measure_opening(void);     /* a venue opens: a thousand heads at once */
void measure_slots(void);       /* the fleet's truth in one call, and who waits for it */
void measure_fleet(void);       /* a whole fleet at its cadence */
void measure_start(void);       /* from exec to ready */
void measure_hang(void);        /* while a save hangs */
void measure_half_open(void);   /* clients that never finish their handshake */

#endif

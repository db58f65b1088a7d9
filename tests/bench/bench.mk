# The bench: what architecture and hardware give, in ratios of one run. The Makefile includes this file behind tests/tests.mk.
# BENCH=claims,slots picks parts: claims one opening slots fleet start hang half-open.
BENCH ?=
bench_comma   := ,
bench_sources := $(filter-out tests/bench/bare_server.c,$(wildcard tests/bench/*.c))
bench_objects := $(patsubst tests/%.c,$(OUT)/tobj/%.o,$(bench_sources))
bench_libs    := $(foreach l,$(support_layers),$(OUT)/lib/lib$(l).a)

.PHONY: bench bench-doc
$(OUT)/bench/bench: $(bench_objects) $(support_objects) $(bench_libs)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(filter %.o,$^) $(call link_with,$(support_layers)) -lcmocka -ljansson -lssl -lcrypto -o $@
$(OUT)/bench/bare_server: $(OUT)/tobj/bench/bare_server.o
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(filter %.o,$^) -lmicrohttpd -o $@

## make bench      the daemon's numbers beside a bare libmicrohttpd and the disk, into build/bench.json; BENCH=claims,slots picks parts
bench: $(OUT)/hydraclusterd $(OUT)/faultfs.so $(OUT)/bench/bench $(OUT)/bench/bare_server
	$(OUT)/bench/bench --json $(OUT)/bench.json $(subst $(bench_comma), ,$(BENCH))
## make bench-doc  the whole bench, and its table into docs/PERFORMANCE.md
bench-doc: $(OUT)/hydraclusterd $(OUT)/faultfs.so $(OUT)/bench/bench $(OUT)/bench/bare_server
	$(OUT)/bench/bench --json $(OUT)/bench.json --doc docs/PERFORMANCE.md

# Integration tests, torture and fuzzing; the Makefile includes this file.
integration_sources  := $(wildcard tests/integration/test_*.c)
integration_programs := $(patsubst tests/integration/%.c,$(OUT)/integration/%,$(integration_sources)) $(OUT)/integration/test_support
support_objects := $(patsubst tests/%.c,$(OUT)/tobj/%.o,$(filter-out tests/support/test_%.c tests/support/faultfs.c,$(wildcard tests/support/*.c)))
support_layers  := $(call link_layers,client)
# What lies beside the test programs belongs to each of them, as in tests/unit.
support_objects += $(patsubst tests/%.c,$(OUT)/tobj/%.o,$(filter-out tests/integration/test_%,$(wildcard tests/integration/*.c)))

.PHONY: integration torture fuzz fuzz-corpus fuzz-targets
# The programs that integration tests start; a library to be preloaded is never built with a sanitizer.
$(OUT)/faultfs.so: tests/support/faultfs.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -std=c17 $(WARN) -O1 -g -shared -fPIC $< -o $@ -ldl -pthread

# route_docs reads the daemon's own table of routes, so that a route without a test is noticed.
route_layers := $(call link_layers,api)
$(OUT)/integration/test_routes: extra_layers := $(route_layers)
$(OUT)/integration/test_routes: $(foreach l,$(route_layers),$(OUT)/lib/lib$(l).a)
$(OUT)/integration/test_%: $(OUT)/tobj/integration/test_%.o $(support_objects) $(foreach l,$(support_layers),$(OUT)/lib/lib$(l).a)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(filter %.o,$^) $(call link_with,$(sort $(support_layers) $(extra_layers))) -lcmocka -ljansson -o $@
$(OUT)/integration/test_support: $(OUT)/tobj/support/test_support.o $(support_objects) $(foreach l,$(support_layers),$(OUT)/lib/lib$(l).a)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(filter %.o,$^) $(call link_with,$(support_layers)) -lcmocka -ljansson -o $@

## make integration  the real daemon on loopback: real files, faults of the disk, kill -9
integration_runs := $(addsuffix .run,$(integration_programs))
.PHONY: $(integration_runs)
$(integration_runs): %.run: % $(OUT)/hydraclusterd $(OUT)/faultfs.so
	$<
integration: $(integration_runs)
## make torture    500 heads, 40 slots, 100 rounds of kill -9: acknowledged = stored, no slot twice, no epoch falls
torture: $(OUT)/hydraclusterd $(OUT)/faultfs.so $(OUT)/integration/test_kill
	$(OUT)/integration/test_kill --heads 500 --slots 40 --rounds 100

# ---- fuzzing: each target is a parser; the same file is a fuzzer (clang, libFuzzer) and, with corpus_main.c, a plain test ----
SECONDS      ?= 60
FUZZ_CC      ?= clang
fuzz_names   := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz_layers  := $(call link_layers,proto) $(filter-out $(call link_layers,proto),$(call link_layers,store))
fuzz_sources := $(foreach l,$(fuzz_layers),$(wildcard src/$(l)/*.c))
FUZZ_FLAGS   := -Iinclude -D_GNU_SOURCE -std=c17 $(WARN) -O1 -g -fno-omit-frame-pointer
fuzz_objects := $(patsubst src/%.c,$(BUILD)/fuzz/obj/%.o,$(fuzz_sources))
$(BUILD)/fuzz/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address -MMD -MP -c $< -o $@
$(BUILD)/fuzz/%: tests/fuzz/%.c $(fuzz_objects)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer,address $< $(fuzz_objects) $(sort $(foreach l,$(fuzz_layers),$(LIBS_$(l)))) -pthread -o $@
$(OUT)/fuzz-corpus/%: $(OUT)/tobj/fuzz/%.o $(OUT)/tobj/fuzz/corpus_main.o $(foreach l,$(fuzz_layers),$(OUT)/lib/lib$(l).a)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(filter %.o,$^) $(call link_with,$(fuzz_layers)) -o $@
fuzz-targets: $(foreach f,$(fuzz_names),$(BUILD)/fuzz/$(f))
## make fuzz       SECONDS=60 of libFuzzer on each parser; new finds are kept in build/fuzz/found
fuzz: fuzz-targets
	@set -e; for f in $(fuzz_names); do mkdir -p $(BUILD)/fuzz/found/$$f; \
	  echo "$$f: $(SECONDS) s"; $(BUILD)/fuzz/$$f -max_total_time=$(SECONDS) -max_len=16384 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
	    -artifact_prefix=$(BUILD)/fuzz/$$f- $(BUILD)/fuzz/found/$$f tests/fuzz/corpus/$$f 2>$(BUILD)/fuzz/$$f.log \
	  || { tail -n 40 $(BUILD)/fuzz/$$f.log; exit 1; }; grep -E '^stat::number_of_executed' $(BUILD)/fuzz/$$f.log; done
## make fuzz-corpus  every file of the corpora through its parser, without a fuzzer
fuzz-corpus: $(foreach f,$(fuzz_names),$(OUT)/fuzz-corpus/$(f))
	@set -e; for f in $(fuzz_names); do $(OUT)/fuzz-corpus/$$f tests/fuzz/corpus/$$f/*; done

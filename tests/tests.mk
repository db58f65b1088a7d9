# Integration tests, torture and fuzzing; the Makefile includes this file.
integration_sources  := $(wildcard tests/integration/test_*.c)
integration_programs := $(patsubst tests/integration/%.c,$(OUT)/integration/%,$(integration_sources)) $(OUT)/integration/test_support
support_objects := $(patsubst tests/%.c,$(OUT)/tobj/%.o,$(filter-out tests/support/test_%.c tests/support/faultfs.c,$(wildcard tests/support/*.c)))
support_layers  := $(sort $(call link_layers,client) $(call link_layers,sunshine))
# What lies beside the test programs belongs to each of them, as in tests/unit.
support_objects += $(patsubst tests/%.c,$(OUT)/tobj/%.o,$(filter-out tests/integration/test_%,$(wildcard tests/integration/*.c)))

include tests/support/sunshine_host/sunshine_host.mk
include tests/browser/browser.mk

.PHONY: integration integration-programs corpus-programs torture scenarios fuzz fuzz-corpus fuzz-targets
# The programs that integration tests start; a library to be preloaded is never built with a sanitizer.
$(OUT)/faultfs.so: tests/support/faultfs.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -std=c17 $(WARN) -O1 -g -shared -fPIC $< -o $@ -ldl -pthread

# These read the daemon's own tables of routes, so that a route without a test, or without an example, is noticed.
route_layers := $(call link_layers,web)
$(OUT)/integration/test_routes $(OUT)/integration/test_api_exchanges: extra_layers := $(route_layers)
$(OUT)/integration/test_routes $(OUT)/integration/test_api_exchanges: $(foreach l,$(route_layers),$(OUT)/lib/lib$(l).a)
# The clients of a host, against the host that behaves like Sunshine.
host_layers := $(sort $(call link_layers,gamestream) $(call link_layers,sunshine))
$(OUT)/integration/test_gamestream: extra_layers := $(host_layers)
$(OUT)/integration/test_gamestream: $(foreach l,$(host_layers),$(OUT)/lib/lib$(l).a)
$(OUT)/integration/test_%: $(OUT)/tobj/integration/test_%.o $(support_objects) $(foreach l,$(support_layers),$(OUT)/lib/lib$(l).a)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(TEST_LDFLAGS) $(filter %.o,$^) $(call link_with,$(sort $(support_layers) $(extra_layers))) -lcmocka -ljansson -o $@
$(OUT)/integration/test_support: $(OUT)/tobj/support/test_support.o $(support_objects) $(foreach l,$(support_layers),$(OUT)/lib/lib$(l).a)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(TEST_LDFLAGS) $(filter %.o,$^) $(call link_with,$(support_layers)) -lcmocka -ljansson -o $@

## make integration  the real daemon on loopback: real files, faults of the disk, kill -9
integration_runs := $(addsuffix .run,$(integration_programs))
.PHONY: $(integration_runs)
$(integration_runs): %.run: % $(OUT)/hydraclusterd $(OUT)/hydrabody $(OUT)/hydrasim $(OUT)/hydrahead $(OUT)/faultfs.so $(OUT)/sunshine_host $(OUT)/stream_client $(test_keys)
	@$(run_test) $*.log $*
$(filter %/test_hydractl.run %/test_hydractl_live.run %/test_hydractl_backup.run %/test_hydractl_pages.run %/test_runbook.run,$(integration_runs)): $(OUT)/hydractl
integration: $(integration_runs)
integration-programs: $(integration_programs) $(OUT)/faultfs.so $(OUT)/sunshine_host $(OUT)/stream_client $(test_keys)
## make agents-long  1,000 rounds of four heads on two bodies, the time to the next picture, body agents killed; all releases of Sunshine
.PHONY: agents-long
agents-long: $(OUT)/integration/test_agent_rounds $(OUT)/integration/test_enforcement $(OUT)/hydraclusterd $(OUT)/hydrabody $(OUT)/hydrahead $(OUT)/sunshine_host $(OUT)/stream_client $(test_keys)
	$(OUT)/integration/test_enforcement --all
	$(OUT)/integration/test_agent_rounds --rounds 1000 --quick 200 --kills 20 --limit-ms 300
## make agents-doc  the table of docs/AGENTS.md: what a paired stranger can do to a body, release by release
.PHONY: agents-doc
agents-doc: $(OUT)/integration/test_enforcement $(OUT)/hydraclusterd $(OUT)/hydrabody $(OUT)/hydrahead $(OUT)/sunshine_host $(OUT)/stream_client $(test_keys)
	HYDRA_GOLDEN_UPDATE=1 $<
## make api-doc    docs/API-EXAMPLES.md, one exchange with a real daemon for each route of the API; the table of docs/API.md that leads there
.PHONY: api-doc
api-doc: $(OUT)/integration/test_api_exchanges $(OUT)/unit/api/test_api_doc $(OUT)/hydraclusterd
	HYDRA_GOLDEN_UPDATE=1 $(OUT)/unit/api/test_api_doc
	HYDRA_GOLDEN_UPDATE=1 $<
## make alerts    the alert rules parse, fire on their conditions and are silent just below them (promtool, of Debian's prometheus)
.PHONY: alerts
check-parts: alerts
alerts:
	@command -v promtool > /dev/null || { echo "promtool is not installed: scripts/install-deps check" >&2; exit 1; }
	promtool check rules docs/alerts/hydracluster.rules.yml
	promtool test rules docs/alerts/hydracluster.test.yml
## make man        the man pages say nothing wrong, and name every key of the files that they are about (mandoc)
.PHONY: man
check-parts: man
man:
	scripts/check-man.sh
## make openapi-valid  docs/openapi.yaml is OpenAPI 3.0 as the OpenAPI Initiative's own schema has it (JSON::Validator, of Debian)
.PHONY: openapi-valid
check-parts: openapi-valid
openapi-valid:
	scripts/check-openapi docs/openapi.yaml
## make scenarios  all stories of docs/scenarios under hydrasim, those too that take minutes
scenarios: $(OUT)/hydraclusterd $(OUT)/hydrasim $(OUT)/integration/test_scenarios
	$(OUT)/integration/test_scenarios --all
## make torture    500 heads, 40 slots, 100 rounds of kill -9: acknowledged = stored, no slot twice, no epoch falls
torture: $(OUT)/hydraclusterd $(OUT)/faultfs.so $(OUT)/integration/test_kill
	$(OUT)/integration/test_kill --heads 500 --slots 40 --rounds 100

# ---- fuzzing: each target is a parser; the same file is a fuzzer (clang, libFuzzer) and, with corpus_main.c, a plain test ----
SECONDS      ?= 60
FUZZ_CC      ?= clang
fuzz_names   := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
# The layer that a target reads for, where it is not the daemon.
fuzz_top_fuzz_host_xml  := gamestream
fuzz_top_fuzz_host_web  := sunshine
fuzz_top_fuzz_host_log  := body
fuzz_top_fuzz_body_json := body
fuzz_top_fuzz_head_json := head
fuzz_layers_of  = $(call link_layers,$(or $(fuzz_top_$(1)),daemon))
fuzz_sources_of = $(filter-out src/%/main.c,$(foreach l,$(call fuzz_layers_of,$(1)),$(wildcard src/$(l)/*.c)))
fuzz_libs_of    = $(sort $(foreach l,$(call fuzz_layers_of,$(1)),$(LIBS_$(l)))) -lcmocka -ljansson -pthread
# fuzz_routes stands on the fixture of the unit tests of api.
fuzz_fixture := $(filter-out tests/unit/api/test_%,$(wildcard tests/unit/api/*.c)) tests/support/answer_check.c tests/support/yaml_tree.c
FUZZ_FLAGS   := -Iinclude -D_GNU_SOURCE -DHYDRA_VERSION='"$(VERSION)"' -std=c17 $(WARN) -O1 -g -fno-omit-frame-pointer
# Made at build time: the page's files belong to the layer web, the API's description to api.
fuzz_made_of    = $(if $(filter web,$(call fuzz_layers_of,$(1))),$(BUILD)/fuzz/obj/web_files.o) \
                  $(if $(filter api,$(call fuzz_layers_of,$(1))),$(BUILD)/fuzz/obj/openapi_file.o)
$(BUILD)/fuzz/obj/web_files.o: $(OUT)/made/web_files.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_FLAGS) -Isrc/web -fsanitize=fuzzer-no-link,address -c $< -o $@
$(BUILD)/fuzz/obj/openapi_file.o: $(OUT)/made/openapi_file.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_FLAGS) -Isrc/api -fsanitize=fuzzer-no-link,address -c $< -o $@
$(BUILD)/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_FLAGS) -Itests/support -fsanitize=fuzzer-no-link,address -MMD -MP -c $< -o $@
$(BUILD)/fuzz/fuzz_routes: $(patsubst %.c,$(BUILD)/fuzz/obj/%.o,$(fuzz_fixture))
$(OUT)/fuzz-corpus/fuzz_routes: $(patsubst tests/%.c,$(OUT)/tobj/%.o,$(fuzz_fixture))
define fuzz_rules
$(BUILD)/fuzz/$(1): $(patsubst %.c,$(BUILD)/fuzz/obj/%.o,tests/fuzz/$(1).c $(call fuzz_sources_of,$(1))) $(call fuzz_made_of,$(1))
	@mkdir -p $$(@D)
	$$(FUZZ_CC) -fsanitize=fuzzer,address $$^ $(call fuzz_libs_of,$(1)) -o $$@
$(OUT)/fuzz-corpus/$(1): $(OUT)/tobj/fuzz/$(1).o $(OUT)/tobj/fuzz/corpus_main.o $(foreach l,$(call fuzz_layers_of,$(1)),$(OUT)/lib/lib$(l).a)
	@mkdir -p $$(@D)
	$$(CC) $$(LDFLAGS) $(TEST_LDFLAGS) $$(filter %.o,$$^) $(call link_with,$(call fuzz_layers_of,$(1))) -lcmocka -ljansson -o $$@
endef
$(foreach f,$(fuzz_names),$(eval $(call fuzz_rules,$(f))))
fuzz-targets: $(foreach f,$(fuzz_names),$(BUILD)/fuzz/$(f))
## make fuzz       SECONDS=60 of libFuzzer on each parser; new finds are kept in build/fuzz/found
fuzz: fuzz-targets
	@set -e; for f in $(fuzz_names); do mkdir -p $(BUILD)/fuzz/found/$$f; \
	  echo "$$f: $(SECONDS) s"; $(BUILD)/fuzz/$$f -max_total_time=$(SECONDS) -max_len=16384 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
	    -artifact_prefix=$(BUILD)/fuzz/$$f- $(BUILD)/fuzz/found/$$f tests/fuzz/corpus/$$f 2>$(BUILD)/fuzz/$$f.log \
	  || { tail -n 40 $(BUILD)/fuzz/$$f.log; exit 1; }; grep -E '^stat::number_of_executed' $(BUILD)/fuzz/$$f.log; done
## make fuzz-corpus  every file of the corpora through its parser, without a fuzzer
corpus_runs := $(patsubst %,$(OUT)/fuzz-corpus/%.run,$(fuzz_names))
.PHONY: $(corpus_runs)
$(corpus_runs): %.run: %
	@$(run_test) $*.log $* tests/fuzz/corpus/$(notdir $*)/*
fuzz-corpus: $(corpus_runs)
corpus-programs: $(patsubst %,$(OUT)/fuzz-corpus/%,$(fuzz_names))

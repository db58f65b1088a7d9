# hydracluster: `make` builds the programs into build/, `make help` lists the targets.
# VARIANT=asan|ubsan|san|tsan|cov builds into build/<variant>; BUILD=DIR moves the whole output.
include scripts/layers.mk

VARIANT ?= release
BUILD   ?= build
OUT     := $(if $(filter release,$(VARIANT)),$(BUILD),$(BUILD)/$(VARIANT))
ifeq ($(origin CC),default)
CC := gcc
endif
VERSION := 0.1.0

WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror
MODE_release := -O2 -g
MODE_asan    := -O1 -g -fsanitize=address -fno-omit-frame-pointer
MODE_ubsan   := -O1 -g -fsanitize=undefined -fno-sanitize-recover=all
MODE_san     := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
MODE_tsan    := -O1 -g -fsanitize=thread
MODE_cov     := -O0 -g --coverage
# _GNU_SOURCE for flock, O_CLOEXEC, epoll and eventfd; asserts stay on: NDEBUG is never set.
CPPFLAGS += -Iinclude -D_GNU_SOURCE -DHYDRA_VERSION='"$(VERSION)"' -D_FORTIFY_SOURCE=2
CFLAGS   += -std=c17 $(WARN) $(MODE_$(VARIANT)) -fstack-protector-strong -MMD -MP
ifneq ($(VARIANT),release)
CPPFLAGS := $(filter-out -D_FORTIFY_SOURCE=2,$(CPPFLAGS))
endif
# A freed block is kept from reuse within the last 16 MiB, and a report shows six frames: enough to find a fault, and a third less to pay
# for in memory that is touched once.
ifneq ($(findstring address,$(MODE_$(VARIANT))),)
export ASAN_OPTIONS ?= quarantine_size_mb=16:malloc_context_size=6
endif
LDFLAGS  += $(filter -fsanitize% --coverage,$(MODE_$(VARIANT))) -pthread

layers    := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard src/*/*.c)))))
closure    = $(sort $(1) $(foreach d,$(ALLOW_$(1)),$(call closure,$(d))))
# Libraries of a layer and all below it; crypto rides along because it defines base's hc_derive().
link_layers = $(filter $(layers),$(call closure,$(1)) crypto)
link_with   = -Wl,--start-group $(foreach l,$(1),$(OUT)/lib/lib$(l).a) -Wl,--end-group $(sort $(foreach l,$(1),$(LIBS_$(l))))

# A program is a layer with a main.c.
PROGRAM_daemon := hydraclusterd
PROGRAM_sim    := hydrasim
PROGRAM_body   := hydrabody
PROGRAM_head   := hydrahead
PROGRAM_ctl    := hydractl
program_layers := $(foreach l,$(layers),$(if $(wildcard src/$(l)/main.c),$(l)))
programs       := $(foreach l,$(program_layers),$(OUT)/$(PROGRAM_$(l)))

unit_sources := $(wildcard tests/unit/*/test_*.c)
unit_programs := $(patsubst tests/unit/%.c,$(OUT)/unit/%,$(unit_sources))
# PROGRAM.run runs a test program: one target each, so that they run side by side and one that fails hides no other.
run_test       = scripts/run-test
# Compiling wants all cores; test programs mostly wait, so several run at once on each. Under sanitizers they wait less.
CORES         := $(shell nproc)
TESTS_A_CORE  := $(if $(filter release,$(VARIANT)),4,3)
with_jobs      = --no-print-directory -k -O -j
# Linking the many test programs with gold takes a third of the time.
TEST_LDFLAGS  := $(if $(shell command -v ld.gold),-fuse-ld=gold)

# Tests write much and keep nothing: in memory, where that is large enough.
TMPFS_KIB := $(shell df --output=avail /dev/shm 2>/dev/null | tail -n 1)
ifeq ($(shell [ "$(or $(TMPFS_KIB),0)" -gt 2097152 ] && [ -w /dev/shm ] && echo yes),yes)
check check-parts integration unit: export TMPDIR ?= /dev/shm
endif

.PHONY: all help check check-parts check-programs unit unit-programs graphs lint asan ubsan sanitize tsan cov install deb deb-test clean $(addprefix unit-,$(layers))
.SECONDARY:
all: $(programs)

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

# The unit tests of api hold answers against docs/openapi.yaml, as the integration tests do.
unit_beside_api := $(OUT)/tobj/support/answer_check.o $(OUT)/tobj/support/yaml_tree.o

# The unit tests of a layer are linked once, into build/unit/LAYER/tests; build/unit/LAYER/test_NAME is a link to it that names the test.
define layer_rules
$(OUT)/lib/lib$(1).a: $(patsubst src/%.c,$(OUT)/obj/%.o,$(filter-out src/$(1)/main.c,$(wildcard src/$(1)/*.c)))
	@mkdir -p $$(@D)
	@rm -f $$@
	@ar rcs $$@ $$^
unit-$(1): $(patsubst tests/unit/%.c,$(OUT)/unit/%.run,$(wildcard tests/unit/$(1)/test_*.c))
$(OUT)/made/tests_of_$(1).c: scripts/join-tests $(wildcard tests/unit/$(1))
	@mkdir -p $$(@D)
	scripts/join-tests $(notdir $(basename $(wildcard tests/unit/$(1)/test_*.c))) > $$@.new && mv $$@.new $$@
$(OUT)/unit/$(1)/tests: $(OUT)/made/tests_of_$(1).o $(patsubst tests/unit/%.c,$(OUT)/tobj/unit/%.o,$(wildcard tests/unit/$(1)/*.c)) $(unit_beside_$(1)) $(foreach l,$(call link_layers,$(1)),$(OUT)/lib/lib$(l).a)
	@mkdir -p $$(@D)
	$$(CC) $$(LDFLAGS) $(TEST_LDFLAGS) $$(filter %.o,$$^) $(call link_with,$(call link_layers,$(1))) -lcmocka -o $$@
$(patsubst tests/unit/%.c,$(OUT)/unit/%,$(wildcard tests/unit/$(1)/test_*.c)): $(OUT)/unit/$(1)/tests
	@ln -sf tests $$@
endef
$(foreach l,$(layers),$(eval $(call layer_rules,$(l))))

define program_rules
$(OUT)/$(PROGRAM_$(1)): $(OUT)/obj/$(1)/main.o $(foreach l,$(call link_layers,$(1)),$(OUT)/lib/lib$(l).a)
	$$(CC) $$(LDFLAGS) $$(filter %.o,$$^) $(call link_with,$(call link_layers,$(1))) -o $$@
endef
$(foreach l,$(program_layers),$(eval $(call program_rules,$(l))))

# The operator page is part of the program: its files as arrays.
web_files := $(sort $(wildcard web/*))
$(OUT)/made/web_files.c: scripts/embed-web $(web_files)
	@mkdir -p $(@D)
	scripts/embed-web $(web_files) > $@.new && mv $@.new $@
$(OUT)/made/web_files.o: $(OUT)/made/web_files.c
	$(CC) $(CPPFLAGS) -Isrc/web $(CFLAGS) -c $< -o $@
$(OUT)/lib/libweb.a: $(OUT)/made/web_files.o
# So is the description of the API.
$(OUT)/made/openapi_file.c: scripts/embed-file docs/openapi.yaml
	@mkdir -p $(@D)
	scripts/embed-file openapi_file openapi_file.h docs/openapi.yaml > $@.new && mv $@.new $@
$(OUT)/made/openapi_file.o: $(OUT)/made/openapi_file.c
	$(CC) $(CPPFLAGS) -Isrc/api $(CFLAGS) -c $< -o $@
$(OUT)/lib/libapi.a: $(OUT)/made/openapi_file.o

# Under both sanitizers at once compiling costs more than running does, but for the layers that compute.
ifeq ($(VARIANT),san)
$(foreach l,$(filter-out base codec core crypto engine journal store,$(layers)),$(OUT)/obj/$(l)/%.o): CFLAGS += -O0
endif
$(OUT)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
# Test programs run once: compiling them is most of what they cost. The simulator, the bench and what they share stay fast.
plain_tests := $(foreach d,unit integration fuzz,$(OUT)/tobj/$(d)/%.o)
$(plain_tests): CFLAGS += -O0 -g1
$(plain_tests): CPPFLAGS := $(filter-out -D_FORTIFY_SOURCE=2,$(CPPFLAGS))
$(patsubst tests/%.c,$(OUT)/tobj/%.o,$(unit_sources)): CFLAGS += -Dmain=main_of_$(basename $(@F)) -Wno-missing-prototypes
$(OUT)/made/tests_of_%.o: $(OUT)/made/tests_of_%.c
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
$(OUT)/tobj/%.o: tests/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests/support $(CFLAGS) -c $< -o $@

unit-programs: $(unit_programs)
.PHONY: $(addsuffix .run,$(unit_programs))
$(addsuffix .run,$(unit_programs)): %.run: %
	@$(run_test) $*.log $*
unit: $(addsuffix .run,$(unit_programs))

## make            the programs, into build/
## make check      lint excepted, the whole suite of this variant: unit, simulation, scenarios, integration; a failure hides no other
check:
	@$(MAKE) $(with_jobs)$(CORES) check-programs || true
	@$(MAKE) $(with_jobs)$$(($(TESTS_A_CORE) * $(CORES))) check-parts
check-parts: all integration sim-check unit fuzz-corpus
check-programs: all unit-programs integration-programs sim-programs corpus-programs
## make asan       the same suite under AddressSanitizer with leak detection
asan:
	$(MAKE) VARIANT=asan check
## make ubsan      the same suite under UndefinedBehaviorSanitizer
ubsan:
	$(MAKE) VARIANT=ubsan check
## make sanitize   the same suite under both at once, built with clang: what gcc lets pass is an error here
sanitize:
	$(MAKE) VARIANT=san CC=clang check
## make tsan       the unit tests of the threaded layers under ThreadSanitizer
tsan:
	$(MAKE) VARIANT=tsan unit-engine unit-feed
## make graphs     docs/STATES.md and docs/lease-states.svg from the table of lease transitions
graphs: $(OUT)/unit/core/test_lease_graph
	HYDRA_GOLDEN_UPDATE=1 $<
## make openapi    docs/openapi.yaml from the program's tables
.PHONY: openapi
openapi: $(OUT)/unit/web/test_openapi
	HYDRA_GOLDEN_UPDATE=1 $<
## make lint       house checks: style, layers, purity, format, cppcheck
lint:
	@scripts/lint
## make cov        line coverage of the suite, build/cov/coverage.txt
cov:
	$(MAKE) VARIANT=cov check
	gcovr -r . --object-directory $(BUILD)/cov -f 'src/' --gcov-executable gcov -o $(BUILD)/cov/coverage.txt
	@tail -n 1 $(BUILD)/cov/coverage.txt

prefix   ?= /usr
DESTDIR  ?=
unitdir  ?= $(prefix)/lib/systemd/system
share    := $(DESTDIR)$(prefix)/share
## make install    programs, man pages, units, users, completions and example configurations under $(DESTDIR)$(prefix)
install: all
	install -d $(DESTDIR)$(prefix)/bin $(DESTDIR)$(unitdir) $(DESTDIR)$(prefix)/lib/sysusers.d $(DESTDIR)$(prefix)/lib/tmpfiles.d
	install -d $(share)/man/man1 $(share)/man/man5 $(share)/doc/hydracluster
	install -d $(share)/bash-completion/completions $(share)/zsh/vendor-completions $(share)/fish/vendor_completions.d
	install -m 0755 $(programs) $(DESTDIR)$(prefix)/bin/
	install -m 0644 $(wildcard docs/man/*.1) $(share)/man/man1/
	install -m 0644 $(wildcard docs/man/*.5) $(share)/man/man5/
	install -m 0644 $(wildcard docs/*.example.yaml) docs/nginx.example.conf allocation.example.yaml $(share)/doc/hydracluster/
	install -m 0644 packaging/systemd/*.service $(DESTDIR)$(unitdir)/
	install -m 0644 packaging/sysusers.d/*.conf $(DESTDIR)$(prefix)/lib/sysusers.d/
	install -m 0644 packaging/tmpfiles.d/*.conf $(DESTDIR)$(prefix)/lib/tmpfiles.d/
	$(OUT)/hydractl completion bash > $(share)/bash-completion/completions/hydractl
# zsh runs such a file at the first TAB: it defines the function, and has it complete this one word too.
	{ echo '#compdef hydractl'; $(OUT)/hydractl completion zsh; echo '_bash_complete -F _hydractl'; } > $(share)/zsh/vendor-completions/_hydractl
	$(OUT)/hydractl completion fish > $(share)/fish/vendor_completions.d/hydractl.fish
## make deb        Debian packages of the daemon, the agents and hydractl, judged by lintian, into build/deb/ (scripts/install-deps package)
deb:
	scripts/build-deb $(BUILD)/deb $(VERSION)
## make deb-test   installs, runs, upgrades, rolls back, removes and purges them in a fresh Debian made by debootstrap; needs root
deb-test: deb
	scripts/test-deb $(BUILD)/deb

clean:
	rm -rf $(BUILD)

-include tests/sim/sim.mk tests/tests.mk tests/bench/bench.mk
-include $(shell find $(OUT) -name '*.d' 2>/dev/null)

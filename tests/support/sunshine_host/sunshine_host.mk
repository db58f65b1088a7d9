# The test host that behaves like Sunshine, and its own tests; tests/tests.mk includes this file. No product links any of it.
sunshine_folder  := tests/support/sunshine_host
sunshine_tests   := $(patsubst $(sunshine_folder)/%.c,$(OUT)/sunshine_tests/%,$(wildcard $(sunshine_folder)/test_*.c))
# The client side of the tests: what lies here and is not the host.
sunshine_peer    := peer peer_pairing stage stream_client
sunshine_peers   := $(foreach p,$(sunshine_peer),$(OUT)/tobj/support/sunshine_host/$(p).o)
sunshine_objects := $(filter-out $(sunshine_peers) $(OUT)/tobj/support/sunshine_host/make_keys.o,$(patsubst tests/%.c,$(OUT)/tobj/%.o,$(filter-out $(sunshine_folder)/main.c $(wildcard $(sunshine_folder)/test_*.c),$(wildcard $(sunshine_folder)/*.c))))
sunshine_layers  := $(call link_layers,os)
sunshine_libs    := $(foreach l,$(sunshine_layers),$(OUT)/lib/lib$(l).a)
integration_programs += $(sunshine_tests)

$(OUT)/sunshine_host: $(OUT)/tobj/support/sunshine_host/main.o $(sunshine_objects) $(sunshine_libs)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(filter %.o,$^) $(call link_with,$(sunshine_layers)) -ljansson -lssl -lcrypto -o $@
$(OUT)/sunshine_tests/%: $(OUT)/tobj/support/sunshine_host/%.o $(filter-out %/stream_client.o,$(sunshine_peers)) $(sunshine_objects) $(support_objects) $(foreach l,$(support_layers),$(OUT)/lib/lib$(l).a)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(TEST_LDFLAGS) $(filter %.o,$^) $(call link_with,$(support_layers)) -lcmocka -ljansson -lssl -lcrypto -o $@

# What a head starts to stream; beside the host, so that a test finds both.
$(OUT)/stream_client: $(OUT)/tobj/support/sunshine_host/stream_client.o $(OUT)/tobj/support/sunshine_host/xml.o $(OUT)/lib/libbase.a $(OUT)/lib/libcrypto.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(filter %.o,$^) $(call link_with,base crypto) -lssl -lcrypto -o $@

# Made once, for all variants and until `make clean`: RSA keys are dear (made_keys.h).
test_keys := $(BUILD)/test_keys/made
$(OUT)/make_keys: $(foreach o,make_keys certificate,$(OUT)/tobj/support/sunshine_host/$(o).o) $(OUT)/lib/libbase.a $(OUT)/lib/libcrypto.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(filter %.o,$^) $(call link_with,base crypto) -lssl -lcrypto -o $@
$(test_keys): | $(OUT)/make_keys
	$(OUT)/make_keys $(@D)
	@touch $@

.PHONY: unit-sunshine-host test-keys
test-keys: $(test_keys)
## make unit-sunshine-host  the test host against its checklist, in every release that it imitates
unit-sunshine-host: $(test_keys) $(OUT)/sunshine_host $(OUT)/stream_client $(sunshine_tests)
	@set -e; for t in $(sunshine_tests); do $$t; done

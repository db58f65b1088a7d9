# The test host that behaves like Sunshine, and its own tests; tests/tests.mk includes this file. No product links any of it.
sunshine_folder  := tests/support/sunshine_host
sunshine_objects := $(patsubst tests/%.c,$(OUT)/tobj/%.o,$(filter-out $(sunshine_folder)/main.c $(wildcard $(sunshine_folder)/test_*.c),$(wildcard $(sunshine_folder)/*.c)))
sunshine_layers  := $(call link_layers,os)
sunshine_libs    := $(foreach l,$(sunshine_layers),$(OUT)/lib/lib$(l).a)

$(OUT)/sunshine_host: $(OUT)/tobj/support/sunshine_host/main.o $(sunshine_objects) $(sunshine_libs)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(filter %.o,$^) $(call link_with,$(sunshine_layers)) -ljansson -lssl -lcrypto -o $@

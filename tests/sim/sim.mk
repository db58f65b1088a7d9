# The simulator (tests/sim): core and base alone, under virtual time. `make sim-check` is part of `make check`.
sim_sources := $(filter-out tests/sim/main.c tests/sim/scenario%.c,$(wildcard tests/sim/*.c))
sim_objects := $(patsubst tests/sim/%.c,$(OUT)/tobj/sim/%.o,$(sim_sources))
scenario_objects := $(patsubst tests/sim/%.c,$(OUT)/tobj/sim/%.o,$(wildcard tests/sim/scenario*.c))
sim_libs := $(OUT)/lib/libcore.a $(OUT)/lib/libbase.a

# With a sanitizer it is the memory that is looked at: less of the same.
SIM_SECONDS ?= $(if $(filter release,$(VARIANT)),10,3)
SIM_LONG_SECONDS ?= 600
SIM_LONG_HOURS ?= 20000
SIM_DEPTH ?= $(if $(filter release,$(VARIANT)),5,4)

.PHONY: sim-check sim-long sim-scenarios sim-twice sim-random sim-small sim-list sim-programs
$(OUT)/sim: $(OUT)/tobj/sim/main.o $(sim_objects) $(sim_libs)
	$(CC) $(LDFLAGS) $(TEST_LDFLAGS) $^ -o $@
$(OUT)/scenario: $(scenario_objects) $(sim_objects) $(sim_libs)
	$(CC) $(LDFLAGS) $(TEST_LDFLAGS) $^ -o $@

## make sim-check  scenarios, random fleets for $(SIM_SECONDS) s, the small space walked completely, the planted bugs' texts
sim-programs: $(OUT)/sim $(OUT)/scenario
sim-check: sim-random sim-small sim-scenarios sim-twice $(if $(filter release,$(VARIANT)),sim-list)
sim-scenarios: $(OUT)/scenario
	@$(run_test) $(OUT)/sim-scenarios.log $(OUT)/scenario tests/sim/scn/*.scn
sim-twice: $(OUT)/sim
	@$(run_test) $(OUT)/sim-twice.log $(OUT)/sim --seed 7 --hours 2 --twice
sim-list:
	@$(run_test) $(OUT)/sim-list.log tests/sim/mutate.sh --list
sim-random: $(OUT)/sim
	@$(run_test) $(OUT)/sim-random.log $(OUT)/sim --seconds $(SIM_SECONDS)
sim-small: $(OUT)/sim
	@$(run_test) $(OUT)/sim-small.log $(OUT)/sim --enumerate $(SIM_DEPTH)

## make sim-long   random fleets for ten minutes on two cores, then the planted bugs
sim-long: $(OUT)/sim $(OUT)/scenario
	@tests/sim/long.sh $(OUT)/sim $(SIM_LONG_SECONDS) $(SIM_LONG_HOURS)
	@tests/sim/mutate.sh

# The simulator (tests/sim): core and base alone, under virtual time. `make sim-check` is part of `make check`.
sim_sources := $(filter-out tests/sim/main.c tests/sim/scenario%.c,$(wildcard tests/sim/*.c))
sim_objects := $(patsubst tests/sim/%.c,$(OUT)/tobj/sim/%.o,$(sim_sources))
scenario_objects := $(patsubst tests/sim/%.c,$(OUT)/tobj/sim/%.o,$(wildcard tests/sim/scenario*.c))
sim_libs := $(OUT)/lib/libcore.a $(OUT)/lib/libbase.a

SIM_SECONDS ?= 20
SIM_LONG_SECONDS ?= 600
SIM_LONG_HOURS ?= 20000
SIM_DEPTH ?= 5

.PHONY: sim-check sim-long
$(OUT)/sim: $(OUT)/tobj/sim/main.o $(sim_objects) $(sim_libs)
	$(CC) $(LDFLAGS) $^ -o $@
$(OUT)/scenario: $(scenario_objects) $(sim_objects) $(sim_libs)
	$(CC) $(LDFLAGS) $^ -o $@

## make sim-check  scenarios, random fleets for $(SIM_SECONDS) s, the small space walked completely
sim-check: $(OUT)/sim $(OUT)/scenario
	@$(OUT)/scenario tests/sim/scn/*.scn
	@$(OUT)/sim --seed 7 --hours 2 --twice
	@$(OUT)/sim --seconds $(SIM_SECONDS)
	@$(OUT)/sim --enumerate $(SIM_DEPTH)

## make sim-long   random fleets for ten minutes on two cores, then the planted bugs
sim-long: $(OUT)/sim $(OUT)/scenario
	@tests/sim/long.sh $(OUT)/sim $(SIM_LONG_SECONDS) $(SIM_LONG_HOURS)
	@tests/sim/mutate.sh

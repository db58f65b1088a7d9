# The operator page in a browser; tests.mk includes this file.
browser_modules := $(OUT)/browser/node_modules/.package-lock.json
$(browser_modules): tests/browser/package.json tests/browser/package-lock.json
	@mkdir -p $(OUT)/browser
	cp tests/browser/package.json tests/browser/package-lock.json $(OUT)/browser/
	cd $(OUT)/browser && npm ci --prefer-offline --ignore-scripts --no-audit --no-fund
## make browser   the operator page in Debian's Chromium, against a real daemon and hydrasim; renews docs/images (scripts/install-deps browser)
.PHONY: browser
PICTURES ?= yes
browser: $(OUT)/hydraclusterd $(OUT)/hydrasim $(browser_modules)
	BUILD_DIR=$(OUT) PICTURES=$(PICTURES) node tests/browser/run.mjs $(BROWSER_TESTS)

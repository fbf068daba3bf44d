# Owns the commands; each sets up everything that it needs (see .ci/setup).
.PHONY: demo test docs setup clean
export PATH := $(CURDIR)/.venv/bin:$(PATH)

demo:
	.ci/setup demo
	python -m minitorch.demo

test:
	.ci/setup test
	ctest --test-dir build/venv --output-on-failure --parallel 2
	python -m pytest

# The site, in build/site: notebooks that changed are run first.
docs:
	.ci/setup test
	python docs/build_site.py

# The development environment alone: .venv with an editable install.
setup:
	.ci/setup test

clean:
	rm -rf build dist .venv

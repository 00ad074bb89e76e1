"""What pytest does here besides running tests: it runs the examples of the documents and reports services it missed."""

pytest_plugins = ("pytester", "tests.examples", "tests.services")

"""Running schemes on real workers, and holding what was predicted against the clock."""

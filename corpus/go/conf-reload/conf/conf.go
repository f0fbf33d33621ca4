// Package conf holds the settings of a service.
package conf

// Config is shared by everybody.
type Config struct {
	level string
	rate  float64
	hosts []string
}

// Default returns the settings of a fresh service.
func Default() *Config {
	return &Config{level: "info", rate: 10, hosts: []string{"a"}}
}

// Level is how much is logged.
func (c *Config) Level() string {
	return c.level //race:Config.level
}

// Rate is how many requests a second are let in.
func (c *Config) Rate() float64 {
	return c.rate //race:Config.rate
}

// Hosts are the backends.
func (c *Config) Hosts() []string {
	return c.hosts //race:Config.hosts
}

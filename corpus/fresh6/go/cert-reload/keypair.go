package main

import (
	"fmt"
	"time"
)

type certificate struct {
	serial   int
	notAfter time.Time
}

type loader func() (*certificate, error)

// keyPair serves the newest certificate of a pair of files.
type keyPair struct {
	load loader
	cert *certificate
}

func openKeyPair(load loader) (*keyPair, error) {
	c, err := load()
	if err != nil {
		return nil, fmt.Errorf("key pair: %w", err)
	}
	return &keyPair{load: load, cert: c}, nil
}

func (k *keyPair) reload() error {
	c, err := k.load()
	if err != nil {
		return err
	}
	k.cert = c //race:keyPair.cert
	return nil
}

// GetCertificate has the form that a TLS configuration asks for.
func (k *keyPair) GetCertificate(serverName string) (*certificate, error) {
	c := k.cert //race:keyPair.cert
	if c == nil {
		return nil, fmt.Errorf("no certificate for %s", serverName)
	}
	return c, nil
}

func (k *keyPair) watch(changed <-chan struct{}) {
	for range changed {
		if err := k.reload(); err != nil {
			fmt.Println("reload:", err)
		}
	}
}

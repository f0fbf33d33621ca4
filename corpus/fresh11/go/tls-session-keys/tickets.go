package main

import (
	"crypto/rand"
	"crypto/sha256"
)

type keyring struct {
	active [32]byte
	made   int
}

var ring *keyring

func keys() *keyring {
	if ring != nil { //race:ring
		return ring //race:ring
	}
	fresh := &keyring{made: 1}                            //race:keyring.active
	if _, err := rand.Read(fresh.active[:]); err != nil { //race:keyring.active
		panic(err)
	}
	ring = fresh //race:ring
	return fresh
}

func seal(session string) [32]byte {
	k := keys()
	return sha256.Sum256(append(k.active[:], session...)) //race:keyring.active
}

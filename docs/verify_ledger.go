// Command verify_ledger checks an exported ledger against a checkpoint with the packages of Go's own checksum database.
//
//	go mod init example.com/verify_ledger && go get golang.org/x/mod && go build verify_ledger.go
//	./verify_ledger EXPORT CHECKPOINT KEY
//
// It checks hashes, tree, and signature, but not the rules about events: see audit-format.md.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "not verified:", err)
		os.Exit(1)
	}
}

// openCheckpoint checks the signature, and returns the size and the root that it covers.
func openCheckpoint(file, key string) (size int64, root tlog.Hash) {
	verifier, err := note.NewVerifier(key)
	check(err)
	signed, err := os.ReadFile(file)
	check(err)
	opened, err := note.Open(signed, note.VerifierList(verifier))
	check(err)
	var origin, encoded string
	_, err = fmt.Sscanf(opened.Text, "%s\n%d\n%s\n", &origin, &size, &encoded)
	check(err)
	if origin != verifier.Name() {
		check(fmt.Errorf("the checkpoint is of %s", origin))
	}
	root, err = tlog.ParseHash(encoded)
	check(err)
	return size, root
}

// readLeaf checks the data of a line, unless they are erased, and returns the hash of its envelope.
func readLeaf(line []byte) tlog.Hash {
	var event struct {
		Envelope, Salt string
		Data           *string
	}
	check(json.Unmarshal(line, &event))
	var envelope struct {
		DataHash string `json:"data_hash"`
	}
	check(json.Unmarshal([]byte(event.Envelope), &envelope))
	if event.Data != nil {
		salt, err := hex.DecodeString(event.Salt)
		check(err)
		if fmt.Sprintf("%x", sha256.Sum256(append(salt, *event.Data...))) != envelope.DataHash {
			check(fmt.Errorf("the data are not those hashed: %s", event.Envelope))
		}
	}
	return tlog.RecordHash([]byte(event.Envelope))
}

func main() {
	if len(os.Args) != 4 {
		check(fmt.Errorf("usage: verify_ledger EXPORT CHECKPOINT KEY"))
	}
	size, root := openCheckpoint(os.Args[2], os.Args[3])
	export, err := os.Open(os.Args[1])
	check(err)
	var stored []tlog.Hash
	read := tlog.HashReaderFunc(func(at []int64) (hashes []tlog.Hash, err error) {
		for _, index := range at {
			hashes = append(hashes, stored[index])
		}
		return hashes, nil
	})
	lines := bufio.NewReader(export)
	var events int64
	for ; events < size; events++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			check(fmt.Errorf("the export ends after %d of %d events", events, size))
		}
		check(err)
		hashes, err := tlog.StoredHashesForRecordHash(events, readLeaf(bytes.TrimSuffix(line, []byte("\n"))), read)
		check(err)
		stored = append(stored, hashes...)
	}
	found, err := tlog.TreeHash(size, read)
	check(err)
	if found != root {
		check(fmt.Errorf("the root of the first %d events is %v, not %v", size, found, root))
	}
	fmt.Printf("verified: %d events, root %s\n", size, strings.TrimSpace(found.String()))
}

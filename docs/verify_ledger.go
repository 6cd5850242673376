// Command verify_ledger checks an exported ledger against a checkpoint with the packages of Go's own checksum database.
//
//	go mod init example.com/verify_ledger && go get golang.org/x/mod && go build verify_ledger.go
//	./verify_ledger EXPORT CHECKPOINT KEY [QUORUM WITNESS_KEY...]
//
// It checks hashes, tree, and signature, but not the rules about events: see audit-format.md.
package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
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

// A witness verifies cosignatures (c2sp.org/tlog-cosignature).
type witness struct {
	name string
	id   uint32
	key  ed25519.PublicKey
}

func (w witness) Name() string    { return w.name }
func (w witness) KeyHash() uint32 { return w.id }
func (w witness) Verify(text, timed []byte) bool {
	if len(timed) != 8+ed25519.SignatureSize {
		return false
	}
	time := binary.BigEndian.Uint64(timed)
	cosigned := fmt.Sprintf("cosignature/v1\ntime %d\n%s", time, text)
	return time < 1<<63 && ed25519.Verify(w.key, []byte(cosigned), timed[8:])
}

// parseWitness reads the verifier key of a witness, name+id+key, whose type is 4.
func parseWitness(text string) witness {
	parts := strings.SplitN(text, "+", 3)
	if len(parts) == 3 {
		typed, err := base64.StdEncoding.DecodeString(parts[2])
		id := sha256.Sum256([]byte(parts[0] + "\n" + string(typed)))
		if err == nil && len(typed) == 1+ed25519.PublicKeySize && typed[0] == 4 && fmt.Sprintf("%x", id[:4]) == parts[1] {
			return witness{parts[0], binary.BigEndian.Uint32(id[:4]), typed[1:]}
		}
	}
	check(fmt.Errorf("not the key of a witness: %s", text))
	return witness{}
}

// openCheckpoint checks the signature and the cosignatures, and returns the size and the root that they cover.
func openCheckpoint(file, key string, policy []string) (size int64, root tlog.Hash) {
	verifier, err := note.NewVerifier(key)
	check(err)
	trusted, quorum, keys := []note.Verifier{verifier}, 0, map[string]bool{}
	for at, text := range policy {
		if at == 0 {
			quorum, err = strconv.Atoi(text)
			check(err)
			continue
		}
		trusted = append(trusted, parseWitness(text))
		keys[string(trusted[at].(witness).key)] = true
	}
	if len(policy) > 0 && (quorum < 1 || quorum > len(policy)-1 || len(keys) < len(policy)-1) {
		check(fmt.Errorf("the quorum is not from 1 to the number of witnesses, or two witnesses have the same key"))
	}
	signed, err := os.ReadFile(file)
	check(err)
	opened, err := note.Open(signed, note.VerifierList(trusted...))
	check(err)
	cosignatures := 0
	for _, signature := range opened.Sigs {
		if signature.Name != verifier.Name() || signature.Hash != verifier.KeyHash() {
			cosignatures++
		}
	}
	if cosignatures == len(opened.Sigs) {
		check(fmt.Errorf("the checkpoint is not signed with %s", key))
	}
	if cosignatures < quorum {
		check(fmt.Errorf("%d witnesses have cosigned the checkpoint, not %d", cosignatures, quorum))
	}
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
	if len(os.Args) < 4 {
		check(fmt.Errorf("usage: verify_ledger EXPORT CHECKPOINT KEY [QUORUM WITNESS_KEY...]"))
	}
	size, root := openCheckpoint(os.Args[2], os.Args[3], os.Args[4:])
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

// Command verify_ledger checks an exported ledger against a checkpoint, or an evidence file, with the packages of Go's own
// checksum database.
//
//	go mod init example.com/verify_ledger && go get golang.org/x/mod && go build verify_ledger.go
//	./verify_ledger EXPORT CHECKPOINT KEY [QUORUM WITNESS_KEY...]
//	./verify_ledger EVIDENCE.zip [KEY [QUORUM WITNESS_KEY...]]
//
// An EXPORT whose name ends in .gz is unpacked.
//
// It checks hashes, tree, and signature, but not the rules about events: see audit-format.md.
package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// place names the part of an evidence file that is being read, and ends with a colon.
var place string

func check(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "not verified: %s%v\n", place, err)
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
func openCheckpoint(signed []byte, key string, policy []string) (size int64, root tlog.Hash) {
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
	if len(os.Args) >= 2 && strings.HasSuffix(os.Args[1], ".zip") {
		verifyEvidence(os.Args[1], os.Args[2:])
	} else if len(os.Args) >= 4 {
		signed, err := os.ReadFile(os.Args[2])
		check(err)
		verifyExport(os.Args[1], signed, os.Args[3], os.Args[4:])
	} else {
		usage := "verify_ledger EXPORT CHECKPOINT KEY [QUORUM WITNESS_KEY...]"
		check(fmt.Errorf("usage: %s, or verify_ledger EVIDENCE.zip [KEY [QUORUM WITNESS_KEY...]]", usage))
	}
}

func verifyExport(file string, signed []byte, key string, policy []string) {
	size, root := openCheckpoint(signed, key, policy)
	export, err := os.Open(file)
	check(err)
	var unpacked io.Reader = export
	if strings.HasSuffix(file, ".gz") {
		unpacked, err = gzip.NewReader(export)
		check(err)
	}
	var stored []tlog.Hash
	read := tlog.HashReaderFunc(func(at []int64) (hashes []tlog.Hash, err error) {
		for _, index := range at {
			hashes = append(hashes, stored[index])
		}
		return hashes, nil
	})
	lines := bufio.NewReader(unpacked)
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

var summed = regexp.MustCompile(`(?s)^(.*),\n? *"sum": ?"([0-9a-f]{64})"\n?}\n$`)

// parseSummed parses an object whose last member is the hash of what precedes it.
func parseSummed(text []byte, value any) {
	parts := summed.FindSubmatch(text)
	if parts == nil || fmt.Sprintf("%x", sha256.Sum256(parts[1])) != string(parts[2]) {
		check(fmt.Errorf("it was altered"))
	}
	check(json.Unmarshal(text, value))
}

type manifest struct {
	Format  string
	Company struct{ ID, Name string }
	Events  int64
	Key     string
	Files   []struct {
		Name, SHA256 string
		Bytes        int64
	}
}

// verifyEvidence rebuilds the root of the ledger from some of its events, and the roots of the subtrees between them.
func verifyEvidence(file string, given []string) {
	archive, err := zip.OpenReader(file)
	check(err)
	open := func(name string) io.ReadCloser {
		place = name + ": "
		stream, err := archive.Open(name)
		check(err)
		return stream
	}
	read := func(name string) []byte {
		content, err := io.ReadAll(io.LimitReader(open(name), 1<<24))
		check(err)
		return content
	}
	var all manifest
	parseSummed(read("manifest.json"), &all)
	if all.Format != "employee-ledger evidence 1" {
		check(fmt.Errorf("it is of another version"))
	}
	names := []string{"events.ndjson", "proof.ndjson", "checkpoint.txt", "key.txt", "verify.py", "READ-ME.html"}
	if len(all.Files) != len(names) {
		check(fmt.Errorf("it names other files"))
	}
	checkFile := func(at int) {
		digest, content := sha256.New(), open(names[at])
		_, err := io.Copy(digest, content)
		check(err)
		if all.Files[at].Name != names[at] || fmt.Sprintf("%x", digest.Sum(nil)) != all.Files[at].SHA256 {
			check(fmt.Errorf("it is not the file that the manifest names"))
		}
	}
	for at := 2; at < len(names); at++ {
		checkFile(at)
	}
	key := strings.TrimSuffix(string(read("key.txt")), "\n")
	var policy []string
	if len(given) > 0 {
		key, policy = given[0], given[1:]
	}
	size, root := openCheckpoint(read("checkpoint.txt"), key, policy)
	events, proofs := bufio.NewReader(open("events.ndjson")), bufio.NewReader(open("proof.ndjson"))
	var nodes []tlog.Hash
	var reached, count int64
	add := func(node tlog.Hash, width int64) {
		for number := reached / width; number%2 == 1; number /= 2 {
			node = tlog.NodeHash(nodes[len(nodes)-1], node)
			nodes = nodes[:len(nodes)-1]
		}
		nodes, reached = append(nodes, node), reached+width
	}
	for {
		place = fmt.Sprintf("proof.ndjson, line %d: ", count+1)
		line, err := proofs.ReadBytes('\n')
		check(err)
		var proof struct {
			Position int64
			Leaf     *string
			Before   []string
		}
		parseSummed(line, &proof)
		for _, encoded := range proof.Before {
			node, err := tlog.ParseHash(encoded)
			check(err)
			width := int64(1)
			for reached%(2*width) == 0 && reached+2*width <= proof.Position-1 {
				width *= 2
			}
			add(node, width)
		}
		if reached != proof.Position-1 {
			check(fmt.Errorf("hashes are missing, or there are too many"))
		}
		place = fmt.Sprintf("events.ndjson, line %d: ", count+1)
		line, err = events.ReadBytes('\n')
		if proof.Leaf == nil {
			if err != io.EOF || len(line) > 0 {
				check(fmt.Errorf("there is no proof of this event"))
			}
			break
		}
		check(err)
		leaf := readLeaf(bytes.TrimSuffix(line, []byte("\n")))
		if leaf.String() != *proof.Leaf {
			check(fmt.Errorf("the event is not the one that was proven"))
		}
		add(leaf, 1)
		count++
	}
	for len(nodes) > 1 {
		last := len(nodes) - 1
		nodes = append(nodes[:last-1], tlog.NodeHash(nodes[last-1], nodes[last]))
	}
	place = "proof.ndjson: "
	if reached != size || len(nodes) == 0 || nodes[0] != root {
		check(fmt.Errorf("the events and the proof do not lead to the root of the checkpoint"))
	}
	// These come last, because the checks above also name the line.
	checkFile(0)
	checkFile(1)
	if place = "manifest.json: "; count != all.Events {
		check(fmt.Errorf("it counts other events"))
	}
	fmt.Printf("verified: %d of %d events are in the ledger of %s at %d events\n", count, all.Events, all.Company.Name, size)
}

// Command read_tiles reads a ledger with the packages of Go's own checksum database: its checkpoint, and proofs that it
// makes from tiles.
//
//	read_tiles PREFIX TOKEN KEY
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "not read:", err)
		os.Exit(1)
	}
}

func fetch(path string) []byte {
	request, err := http.NewRequest("GET", os.Args[1]+"/"+path, nil)
	check(err)
	request.Header.Set("authorization", "Bearer "+os.Args[2])
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(err)
	if response.StatusCode != 200 {
		check(fmt.Errorf("%s: %s", path, response.Status))
	}
	return body
}

type tiles struct{}

func (tiles) Height() int                     { return height }
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}
func (tiles) ReadTiles(wanted []tlog.Tile) (read [][]byte, err error) {
	for _, tile := range wanted {
		// c2sp.org/tlog-tiles has no height in its paths.
		read = append(read, fetch(strings.Replace(tile.Path(), "tile/8/", "tile/", 1)))
	}
	return read, nil
}

// readEntry reads an entry from its bundle.
func readEntry(index, size int64) []byte {
	bundle := tlog.Tile{H: height, L: 0, N: index >> height, W: 1 << height}
	if left := size - bundle.N<<height; left < 1<<height {
		bundle.W = int(left)
	}
	entries := fetch(strings.Replace(bundle.Path(), "tile/8/0/", "tile/entries/", 1))
	for at := bundle.N << height; at < index; at++ {
		entries = entries[2+binary.BigEndian.Uint16(entries):]
	}
	return entries[2 : 2+binary.BigEndian.Uint16(entries)]
}

func main() {
	verifier, err := note.NewVerifier(os.Args[3])
	check(err)
	opened, err := note.Open(fetch("checkpoint"), note.VerifierList(verifier))
	check(err)
	var origin, encoded string
	var tree tlog.Tree
	_, err = fmt.Sscanf(opened.Text, "%s\n%d\n%s\n", &origin, &tree.N, &encoded)
	check(err)
	tree.Hash, err = tlog.ParseHash(encoded)
	check(err)
	// It checks every hash that it reads against the root of the checkpoint.
	hashes := tlog.TileHashReader(tree, tiles{})
	for _, index := range []int64{0, 1, 255, 256, tree.N / 2, tree.N - 1} {
		proof, err := tlog.ProveRecord(tree.N, index, hashes)
		check(err)
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(readEntry(index, tree.N))))
	}
	for _, size := range []int64{1, 256, 257, tree.N / 2} {
		before, err := tlog.TreeHash(size, hashes)
		check(err)
		proof, err := tlog.ProveTree(tree.N, size, hashes)
		check(err)
		check(tlog.CheckTree(proof, tree.N, tree.Hash, size, before))
	}
	fmt.Printf("read: %d events of %s\n", tree.N, origin)
}

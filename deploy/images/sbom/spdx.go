package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

const unknown = "NOASSERTION"

type spdxDocument struct {
	SPDXVersion       string             `json:"spdxVersion"`
	DataLicense       string             `json:"dataLicense"`
	ID                string             `json:"SPDXID"`
	Name              string             `json:"name"`
	DocumentNamespace string             `json:"documentNamespace"`
	CreationInfo      creationInfo       `json:"creationInfo"`
	Packages          []spdxPackage      `json:"packages"`
	Relationships     []spdxRelationship `json:"relationships"`
}

type creationInfo struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID               string        `json:"SPDXID"`
	Name             string        `json:"name"`
	VersionInfo      string        `json:"versionInfo,omitempty"`
	DownloadLocation string        `json:"downloadLocation"`
	FilesAnalyzed    bool          `json:"filesAnalyzed"`
	LicenseConcluded string        `json:"licenseConcluded"`
	LicenseDeclared  string        `json:"licenseDeclared"`
	CopyrightText    string        `json:"copyrightText"`
	ExternalRefs     []externalRef `json:"externalRefs,omitempty"`
}

type externalRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxRelationship struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

// document is the bill of a program, as https://spdx.github.io/spdx-spec/v2.3 has it.
func document(name string, parts []part, now time.Time) ([]byte, error) {
	const root = "SPDXRef-Program"
	doc := spdxDocument{
		SPDXVersion: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name,
		CreationInfo: creationInfo{Created: now.UTC().Format(time.RFC3339), Creators: []string{"Tool: fledge-sbom"}},
		Packages: []spdxPackage{{
			ID: root, Name: "fledge-" + name, DownloadLocation: unknown,
			LicenseConcluded: unknown, LicenseDeclared: unknown, CopyrightText: unknown,
		}},
		Relationships: []spdxRelationship{{Element: "SPDXRef-DOCUMENT", Type: "DESCRIBES", Related: root}},
	}
	sum := sha256.New()
	for i, p := range parts {
		_, _ = fmt.Fprintln(sum, p.url)
		id := fmt.Sprintf("SPDXRef-Package-%d", i+1)
		entry := spdxPackage{
			ID: id, Name: p.name, VersionInfo: p.version, DownloadLocation: unknown,
			LicenseConcluded: unknown, LicenseDeclared: unknown, CopyrightText: unknown,
			ExternalRefs: []externalRef{{Category: "PACKAGE-MANAGER", Type: "purl", Locator: p.url}},
		}
		if p.licence != "" {
			entry.LicenseDeclared = p.licence
		}
		doc.Packages = append(doc.Packages, entry)
		doc.Relationships = append(doc.Relationships, spdxRelationship{Element: root, Type: "CONTAINS", Related: id})
	}
	doc.DocumentNamespace = "https://fledge.example/sbom/" + name + "/" + hex.EncodeToString(sum.Sum(nil))
	return json.MarshalIndent(doc, "", "  ")
}

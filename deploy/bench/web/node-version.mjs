const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(`Lighthouse needs Node 22.19 or newer, this is ${process.versions.node}`)
}

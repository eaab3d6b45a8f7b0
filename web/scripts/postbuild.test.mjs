// @vitest-environment node
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { web } from './pages.mjs'

const copy = await mkdtemp(path.join(tmpdir(), 'postbuild-'))
afterAll(() => rm(copy, { recursive: true }))

async function write(files) {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(copy, name)), { recursive: true })
    await writeFile(path.join(copy, name), content)
  }
}

test('with FLEDGE_ISLANDS=off, pages stay as Next wrote them', async () => {
  const page =
    '<!doctype html><a href="/">Home</a><script src="/_next/static/chunks/a.js"></script>'
  await write({
    'out/index.html': page,
    'out/404.html': page,
    'out/_not-found.html': page,
    'out/islands/class-names.json': '{}',
    'out/_next/static/chunks/a.js': 'script '.repeat(200),
    '.next/app-path-routes-manifest.json': '{"/(site)/page":"/"}',
  })
  await cp(path.join(web, 'scripts'), path.join(copy, 'scripts'), { recursive: true })
  await symlink(path.join(web, 'node_modules'), path.join(copy, 'node_modules'))
  const env = { ...process.env, FLEDGE_ISLANDS: 'off' }
  await promisify(execFile)(process.execPath, ['scripts/postbuild.mjs'], { cwd: copy, env })

  for (const name of ['index.html', '404.html']) {
    expect(await readFile(path.join(copy, 'out', name), 'utf8')).toBe(page)
  }
  expect((await readdir(path.join(copy, 'out'))).sort()).toEqual([
    '404.html',
    '_next',
    'index.html',
  ])
  expect(await readdir(path.join(copy, 'out/_next/static'))).toEqual(['chunks'])
  expect((await readdir(path.join(copy, 'out/_next/static/chunks'))).sort()).toEqual([
    'a.js',
    'a.js.br',
    'a.js.gz',
  ])
})

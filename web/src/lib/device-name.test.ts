import { expect, test } from 'vitest'
import { deviceName } from './device-name'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15'

test.each([
  [`${mac} ${webkit} Chrome/141.0.0.0 Safari/537.36`, 'Chrome on Mac'],
  [`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`, 'Safari on Mac'],
  [`${mac.replace(')', '; rv:140.0)')} Gecko/20100101 Firefox/140.0`, 'Firefox on Mac'],
  [`${windows} ${webkit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`, 'Edge on Windows'],
  [`${windows} ${webkit} Chrome/141.0.0.0 Safari/537.36 OPR/120.0.0.0`, 'Opera on Windows'],
  [`${iphone} (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1`, 'Safari on iPhone'],
  [`${iphone} (KHTML, like Gecko) CriOS/141.0 Mobile/15E148 Safari/604.1`, 'Chrome on iPhone'],
  [`${iphone} (KHTML, like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1`, 'Firefox on iPhone'],
  [`${iphone} Version/18.0 EdgiOS/141.0 Mobile/15E148 Safari/604.1`, 'Edge on iPhone'],
  [
    'Mozilla/5.0 (iPad; CPU OS 16_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
    'Safari on iPad',
  ],
  [`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/141.0.0.0 Mobile`, 'Chrome on Android'],
  [
    `Mozilla/5.0 (Linux; Android 14) ${webkit} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/141.0 Safari/537`,
    'Chrome on ChromeOS',
  ],
  [
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Firefox on Linux',
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/141.0 Safari/537.36`,
    'Chrome on Linux',
  ],
  ['Something/1.0 (Windows NT 10.0)', 'Browser on Windows'],
  ['Firefox/140.0', 'Firefox'],
  ['curl/8.5.0', 'Unknown browser'],
  ['', 'Unknown browser'],
  ['x'.repeat(10_000), 'Unknown browser'],
])('%s is %s', (user_agent, name) => {
  expect(deviceName({ kind: 'browser', name: '', user_agent })).toBe(name)
})

test('a name of its own wins', () => {
  const user_agent = 'Fledge/1.2.0 (Macintosh)'
  expect(deviceName({ kind: 'mac', name: " Ann's MacBook ", user_agent })).toBe("Ann's MacBook")
  expect(deviceName({ kind: 'mac', name: '  ', user_agent })).toBe('Mac')
})

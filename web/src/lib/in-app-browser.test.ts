import { expect, it } from 'vitest'
import { inAppBrowser } from './in-app-browser'

const iOS =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const android = 'Mozilla/5.0 (Linux; Android 15; Pixel 9'
const mac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36'

it.each([
  [`${iOS} Mobile/22B83 Instagram 358.0.0.20.101 (iPhone15,3; iOS 18_1; en_US)`, 'Instagram'],
  [`${android}; wv) ${chrome} Instagram 358.0.0.0 Android`, 'Instagram'],
  [`${iOS} Mobile/22B83 [FBAN/FBIOS;FBAV/489.0.0.28.102;FBBV/662000000]`, 'Facebook'],
  [`${android}; wv) ${chrome} [FB_IAB/FB4A;FBAV/489.0.0.0;]`, 'Facebook'],
  [`${iOS} Mobile/22B83 musical_ly_37.2.0 BytedanceWebview/d8a21c6`, 'TikTok'],
  [`${iOS} Mobile/22B83 [LinkedInApp]/9.30.0`, 'LinkedIn'],
  [`${iOS} Mobile/22B83 Snapchat/13.10.0.42`, 'Snapchat'],
  [`${iOS} Mobile/22B83 Twitter for iPhone/10.66`, 'X'],
  [`${iOS} Mobile/22B83 MicroMessenger/8.0.53`, 'WeChat'],
  [`${iOS} Mobile/15E148 KAKAOTALK 10.3.1`, 'KakaoTalk'],
  [
    `${iOS} Version/16.5 Mobile/15E148 Safari/605.1 NAVER(inapp; search; 1010; 11.24.5; 12PRO)`,
    'NAVER',
  ],
  [`${iOS} Mobile/22B83`, 'another app'],
  [mac, 'another app'],
  [`${mac} Slack/4.41.97 Chrome/130.0.6723.59 Electron/33.0.2 Safari/537.36`, 'another app'],
  [`${android}; wv) ${chrome}`, 'another app'],
  [`${iOS} Version/18.1 Mobile/15E148 Safari/604.1`, null],
  [`${iOS} CriOS/131.0.0.0 Mobile/15E148 Safari/604.1`, null],
  [`${android}) ${chrome}`, null],
  [`${mac} Version/18.1 Safari/605.1.15`, null],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0', null],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0', null],
  ['', null],
])('%s is %s', (agent, app) => {
  expect(inAppBrowser(agent)).toBe(app)
})

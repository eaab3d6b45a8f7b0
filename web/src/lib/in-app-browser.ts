/** The apps that open links in a browser of their own, by what it says of itself. */
const apps: readonly (readonly [RegExp, string])[] = [
  [/\bInstagram\b/, 'Instagram'],
  [/\bFB(?:AN|AV|_IAB)\b/, 'Facebook'],
  [/musical_ly|BytedanceWebview|TikTok/i, 'TikTok'],
  [/\bLinkedInApp\b/, 'LinkedIn'],
  [/\bSnapchat\b/, 'Snapchat'],
  [/\bPinterest\b/, 'Pinterest'],
  [/\bTwitter for \w+/, 'X'],
  [/\bMicroMessenger\b/, 'WeChat'],
  [/\bLine\//, 'LINE'],
  [/\bKAKAOTALK\b/, 'KakaoTalk'],
  [/\bNAVER\(inapp/, 'NAVER'],
]

/**
 * The app in whose built-in browser this is, 'another app' where it does not say which, and null in
 * a browser of its own.
 */
export function inAppBrowser(agent: string): string | null {
  const app = apps.find(([pattern]) => pattern.test(agent))
  if (app) return app[1]
  // Android and Electron name their web views; Apple's, those of an iPad like a Mac's, leave out what every browser says.
  const bare =
    /\b(?:iPhone|iPad|iPod|Macintosh)\b.* AppleWebKit\//.test(agent) && !/\bSafari\//.test(agent)
  return bare || /; wv\)| Electron\//.test(agent) ? 'another app' : null
}

/**
 * Why signing in may fail in this browser: it blocks cookies, or is the built-in browser of another app, in which a
 * provider may refuse to sign anybody in.
 */
export function signInObstacle(): 'cookies' | { app: string } | null {
  if (!navigator.cookieEnabled) return 'cookies'
  const app = inAppBrowser(navigator.userAgent)
  return app === null ? null : { app }
}

'use client'

import { useEffect } from 'react'

/** Logs the path of a page that was not found. */
export function LogPath() {
  useEffect(() => {
    console.error('404: no page at', window.location.pathname)
  }, [])
  return null
}

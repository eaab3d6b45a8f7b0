'use client'

import dynamic from 'next/dynamic'

/** Where toasts appear; its engine is loaded after the page. */
export const ToastRegion = dynamic(() => import('./toaster').then((m) => m.Toasts), { ssr: false })

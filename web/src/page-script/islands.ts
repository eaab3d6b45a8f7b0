import { hydrateRoot } from 'react-dom/client'
import { createElement, type ComponentType } from 'react'
import { LogPath } from '@/components/log-path'
import { WaitlistForm } from '@/components/waitlist-form/waitlist-form'
import { ArticleList } from '@/features/blog/article-list'
import { Header } from '@/features/landing/header'
import { PlayWhenSeen } from '@/features/landing/triptych/play-when-seen'

/** Brings the islands of a visitors' page to life (components/island.tsx). */
const components = {
  header: Header,
  'waitlist-form': WaitlistForm,
  'article-list': ArticleList,
  'play-when-seen': PlayWhenSeen,
  'log-path': LogPath,
}
export type Islands = typeof components

for (const island of document.querySelectorAll<HTMLElement>('fledge-island')) {
  const { name = '', props = '{}' } = island.dataset
  const Component = (components as Record<string, ComponentType<never> | undefined>)[name]
  if (!Component) throw new Error(`no island is called ${name}`)
  hydrateRoot(island, createElement(Component, JSON.parse(props) as never))
}

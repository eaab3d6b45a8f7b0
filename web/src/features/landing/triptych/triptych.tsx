import type { CSSProperties } from 'react'
import { island } from '@/components/island'
import { CodePanel } from './code-panel'
import { HabitsScreen } from './habits-screen'
import { Phone } from './phone'
import { PlayWhenSeen } from './play-when-seen'
import { PlantsScreen } from './plants-screen'
import { Prompt } from './prompt'
import { scenes, type Scene } from './scenes'
import { SplitScreen } from './split-screen'
import styles from './triptych.module.css'

const Player = island('play-when-seen', PlayWhenSeen)
const screens = { habits: HabitsScreen, plants: PlantsScreen, split: SplitScreen }

/**
 * The hero's picture: a sentence, the Swift that it gives, and the screen that the Swift draws. It is
 * complete from the start. Once, when it is seen, and for each idea that is chosen it plays: the
 * sentence is typed anew, the lines are written anew, and each part of the screen comes again with its
 * line. Radio inputs choose, CSS plays, in less than five seconds; nothing is missing meanwhile.
 */
export function Triptych() {
  return (
    <figure className={styles.triptych}>
      <figcaption className="visually-hidden">
        From a sentence to SwiftUI code to a finished iPhone screen
      </figcaption>
      <fieldset className={styles.chips}>
        <legend className="visually-hidden">Choose an idea</legend>
        {scenes.map((scene, index) => (
          <label key={scene.id} className={styles.chip}>
            <input
              type="radio"
              name="scene"
              value={scene.id}
              defaultChecked={index === 0}
              data-scene={scene.id}
              className={styles.radio}
            />
            <span>{scene.chip}</span>
          </label>
        ))}
      </fieldset>
      {scenes.map((scene) => (
        <SceneView key={scene.id} scene={scene} />
      ))}
      <Player />
    </figure>
  )
}

function SceneView({ scene }: { scene: Scene }) {
  const Screen = screens[scene.id]
  // The code starts when the sentence is typed, after a rest of 0.3 s.
  const typed = `calc(300ms + ${scene.prompt.length} * var(--letter))`
  const style = { '--typed': typed } as CSSProperties
  return (
    <div className={styles.scene} data-scene={scene.id} style={style}>
      <Prompt text={scene.prompt} />
      <CodePanel file={scene.file} code={scene.code} />
      <Phone label={scene.screen}>
        <Screen code={scene.code} />
      </Phone>
    </div>
  )
}

import {
  Handle,
  type Node,
  type NodeProps,
  Panel,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import { useText, useTranslator } from '../i18n/i18n.tsx';
import { IconButton } from '../ui/button.tsx';
import { createDescriber } from './describe.ts';
import styles from './flow.module.css';
import { type FlowEdge, graphOf } from './graph.ts';
import { layOut, pathOf } from './layout.ts';
import { useFlowNames } from './names.ts';
import type { FlowPictureProps } from './picture-props.ts';
import { type NodeView, StepNode, viewOf } from './step-node.tsx';
import { useFocus } from './use-focus.ts';
import { type PictureEdge, Way } from './way.tsx';

type PictureNode = Node<{ view: NodeView }, 'step'>;

const MIN_ZOOM = 0.2;
/** Texts stay readable; the rest is reached by scrolling. */
const FIRST_ZOOM = 0.7;
const MARGIN_PX = 48;

/** The handles are invisible: the library shows no edge without them. */
const NODE_TYPES = {
  step: ({ data }: NodeProps<PictureNode>) => (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <StepNode view={data.view} />
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </>
  ),
};
const EDGE_TYPES = { way: Way };
const handlesOf = (width: number, height: number) => [
  { type: 'target' as const, position: Position.Top, x: width / 2, y: 0, width: 1, height: 1 },
  { type: 'source' as const, position: Position.Bottom, x: width / 2, y: height, width: 1, height: 1 },
];

function Buttons() {
  const t = useText();
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  return (
    <Panel position="bottom-left" className={styles.buttons}>
      <IconButton icon="plus" label={t('flow.zoomIn')} onClick={() => void zoomIn()} />
      <IconButton icon="minus" label={t('flow.zoomOut')} onClick={() => void zoomOut()} />
      <IconButton icon="fit" label={t('flow.fit')} onClick={() => void fitView({ maxZoom: 1 })} />
    </Panel>
  );
}

/** Lines, texts and places of a definition. */
function usePicture({ definition, ...given }: FlowPictureProps) {
  const translator = useTranslator();
  const names = useFlowNames();
  const describer = useMemo(() => createDescriber(translator, names), [translator, names]);
  const graph = useMemo(() => graphOf(definition), [definition]);
  const labels = useMemo(() => {
    const steps = new Map(
      graph.nodes.flatMap((node) => (node.kind === 'step' ? [[node.id, node.step]] : [])),
    );
    return new Map(graph.edges.map((edge) => [edge.id, describer.outlet(steps.get(edge.from), edge.outlet)]));
  }, [graph, describer]);
  // While somebody types, the places stay the same.
  const shape = JSON.stringify([
    graph.nodes.map((node) => [node.id, node.kind, node.kind === 'step' && node.step.type === 'end']),
    graph.edges.map(({ id, to }) => [id, to, labels.get(id)?.length]),
  ]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is all that the layout depends on
  const layout = useMemo(() => layOut(graph, ({ id }) => labels.get(id) ?? ''), [shape]);
  const labelOf = ({ id }: FlowEdge): string => labels.get(id) ?? '';
  return { ...given, definition, describer, graph, layout, labelOf };
}

function PictureInside(props: FlowPictureProps) {
  const t = useText();
  const picture = usePicture(props);
  const { graph, layout, describer, labelOf, label, selected, onSelect, onInsert, onRemove, issues, paint } =
    picture;
  const { box, stop, setFocused, onKeyDown } = useFocus({
    graph,
    layout,
    hasPluses: onInsert !== undefined,
    selected,
  });
  const flow = useReactFlow();

  /** The first view shows the trigger in the middle of the upper edge, and as much below it as fits. */
  const showBeginning = (): void => {
    const { clientWidth = 0, clientHeight = 0 } = box.current ?? {};
    const all = [...layout.boxes.values()];
    const [trigger = { x: 0, y: 0, width: 0, height: 0 }] = all;
    const left = Math.min(...all.map(({ x }) => x));
    const width = Math.max(...all.map((one) => one.x + one.width)) - left;
    const height = Math.max(...all.map((one) => one.y + one.height));
    const fitting = Math.min(clientWidth / (width + MARGIN_PX), clientHeight / (height + MARGIN_PX));
    const zoom = Math.min(1, Math.max(FIRST_ZOOM, fitting));
    const isNarrow = width * zoom <= clientWidth;
    const middle = isNarrow ? left + width / 2 : trigger.x + trigger.width / 2;
    void flow.setViewport({ x: clientWidth / 2 - middle * zoom, y: MARGIN_PX / 2 - trigger.y * zoom, zoom });
  };

  // A panel that opens beside the picture moves the middle.
  useEffect(() => {
    const element = box.current as HTMLDivElement;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      const { x, ...rest } = flow.getViewport();
      void flow.setViewport({ ...rest, x: x + (element.clientWidth - width) / 2 });
      width = element.clientWidth;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, flow]);

  const nodes = graph.nodes.map((node): PictureNode => {
    const { x, y, width, height } = layout.boxes.get(node.id) ?? { x: 0, y: 0, width: 0, height: 0 };
    const view = viewOf(node, picture.definition, describer, {
      isSelected: node.id === selected,
      isTabStop: node.id === stop,
      issues: issues?.get(node.id) ?? [],
      paint: paint?.[node.id],
      onOpen: onSelect && (() => onSelect(node.id)),
    });
    return {
      id: node.id,
      type: 'step',
      position: { x, y },
      width,
      height,
      handles: handlesOf(width, height),
      data: { view },
    };
  });
  const titleOf = (id: string): string => nodes.find((node) => node.id === id)?.data.view.title ?? '';
  const edges = graph.edges.map((edge): PictureEdge => {
    const { points, middle } = layout.lines.get(edge.id) ?? { points: [], middle: { x: 0, y: 0 } };
    const text = labelOf(edge);
    const after = text === '' ? titleOf(edge.from) : text;
    return {
      id: edge.id,
      type: 'way',
      source: edge.from,
      target: edge.to,
      data: {
        view: {
          path: pathOf(points),
          middle,
          label: text,
          plus: onInsert && t('flow.insert', { after }),
          isTabStop: edge.id === stop,
          onInsert: () => onInsert?.({ from: edge.from, outlet: edge.outlet }),
        },
      },
    };
  });

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the buttons inside
    <div
      ref={box}
      className={styles.picture}
      onFocus={({ target }) => {
        const { item } = target.closest<HTMLElement>('[data-item]')?.dataset ?? {};
        if (item !== undefined) setFocused(item);
      }}
      onKeyDown={(event) => {
        const item = onKeyDown(event);
        const isStep = graph.nodes.some(({ id, kind }) => id === item && kind === 'step');
        if (isStep && onRemove && /^(Delete|Backspace)$/.test(event.key)) {
          event.preventDefault();
          onRemove(item as string);
        }
      }}
    >
      <svg className={styles.markers} aria-hidden="true">
        <marker
          id="flow-arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path className={styles.arrow} d="M0,0.5L7,4L0,7.5" />
        </marker>
      </svg>
      <ReactFlow
        aria-label={label}
        onInit={showBeginning}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        minZoom={MIN_ZOOM}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        panOnScroll
        zoomOnDoubleClick={false}
        disableKeyboardA11y
        proOptions={{ hideAttribution: true }}
      >
        <Buttons />
      </ReactFlow>
    </div>
  );
}

export const Picture = (props: FlowPictureProps) => (
  <ReactFlowProvider>
    <PictureInside {...props} />
  </ReactFlowProvider>
);
